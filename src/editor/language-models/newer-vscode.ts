import * as vscode from "vscode";

/**
 * Parts of VS Code's language model API that are newer than the types of the oldest supported version.
 * Source: @types/vscode 1.140; `LanguageModelThinkingPart` is still proposed there, but its class exists.
 */

export interface ModelInformation {
  readonly id: string;
  readonly name: string;
  readonly family: string;
  readonly version: string;
  readonly detail?: string;
  readonly maxInputTokens: number;
  readonly maxOutputTokens: number;
  readonly capabilities: { readonly imageInput?: boolean; readonly toolCalling?: boolean };
}

export interface ModelMessage {
  readonly role: vscode.LanguageModelChatMessageRole;
  readonly content: readonly unknown[];
  readonly name: string | undefined;
}

export interface ModelRequestOptions {
  readonly modelOptions?: Readonly<Record<string, unknown>>;
  readonly tools?: readonly vscode.LanguageModelChatTool[];
  readonly toolMode: vscode.LanguageModelChatToolMode;
}

export interface ModelProvider {
  readonly onDidChangeLanguageModelChatInformation: vscode.Event<void>;
  provideLanguageModelChatInformation(): Promise<readonly ModelInformation[]>;
  provideLanguageModelChatResponse(
    model: ModelInformation,
    messages: readonly ModelMessage[],
    options: ModelRequestOptions,
    progress: vscode.Progress<unknown>,
    token: vscode.CancellationToken,
  ): Promise<void>;
  provideTokenCount(
    model: ModelInformation,
    text: string | ModelMessage,
    token: vscode.CancellationToken,
  ): Promise<number>;
}

export interface ModelData {
  readonly mimeType: string;
  readonly data: Uint8Array;
}

export interface ModelThinking {
  readonly value: string | readonly string[];
  readonly id?: string | undefined;
  readonly metadata?: object | undefined;
}

/** A class of VS Code that the types of the oldest supported version lack. */
type PartClass<Part, Args extends readonly unknown[]> = new (...args: Args) => Part;

interface NewerVscode {
  readonly LanguageModelDataPart?: PartClass<ModelData, readonly [data: Uint8Array, mimeType: string]>;
  readonly LanguageModelThinkingPart?: PartClass<
    ModelThinking,
    readonly [value: string, id: string | undefined, metadata: object | undefined]
  >;
}

/** Classes that exist only in newer versions of VS Code. Their values are absent in older ones. */
export const newerVscode: NewerVscode = vscode as unknown as NewerVscode;

interface NewerModels {
  readonly registerLanguageModelChatProvider?: (vendor: string, provider: ModelProvider) => vscode.Disposable;
}

export const TAPED_VENDOR = "tapedeck";

/** Registers a provider of language models; undefined in a VS Code that has none (before 1.104). */
export const { registerLanguageModelChatProvider: registerModels }: NewerModels = vscode.lm as NewerModels;

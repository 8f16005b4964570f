/** What chooses mocks and shows what they would answer: a file of its own, loaded when that is asked for. */
export { chooseMock } from "./choose-mock.ts";
export { scriptPreview } from "./script-preview-model.ts";

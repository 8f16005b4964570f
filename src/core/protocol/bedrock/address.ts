import { modelAddress } from "../model-address.ts";

/**
 * A path of Bedrock's runtime: a model (an id or an ARN, encoded) and what is asked of it.
 * Source: docs.aws.amazon.com/bedrock/latest/APIReference/API_Operations_Amazon_Bedrock_Runtime.html, 2026-11.
 */
export const bedrockAddress = modelAddress(/\/model\/([^/?]+)\/([a-z-]+)(?:\?|$)/);

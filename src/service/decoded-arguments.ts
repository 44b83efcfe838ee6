/** Decodes the parameters of requests: a few at once, thousands in slices between which the thread serves others. */
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { DecodedArguments, Decoder } from '../commands/decode.ts';
import type { RawRequest } from './request.ts';
import { RequestSource } from './request-context.ts';
import type { PipelineOptions } from './service-options.ts';

/** More parameters are decoded in slices. So many take about half a millisecond. */
const AT_ONCE_PARAMETERS = 1_024;

/** Reports whether the parameters of a request are decoded in slices, so that others may overtake it. */
export function isDecodedInSlices(params: ReadonlyMap<string, string>): boolean {
  return params.size > AT_ONCE_PARAMETERS;
}

/** Decodes the parameters. Throws what the decoder throws, and REQUEST_TIMEOUT when the client disconnects. */
export function decodeArguments(
  options: PipelineOptions,
  decoder: Decoder,
  request: Pick<RawRequest, 'params' | 'signal'>,
): MaybePromise<DecodedArguments> {
  const { params } = request;
  const source = new RequestSource(options, params);
  if (!isDecodedInSlices(params)) return decoder.read(source);
  return options.decodes.complete(request.signal(), decoder.readInSteps(source));
}

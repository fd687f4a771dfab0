import type { StoreSpec } from '@her/configs';
import { HerError } from '../errors.ts';

type Said = { name?: string; message?: string; code?: string; $metadata?: { httpStatusCode?: number } };

/** What a failed request to a store means. The text of an answer is not repeated beyond its message. */
export function storeFailure(error: unknown, what: string, spec: StoreSpec): HerError {
  if (error instanceof HerError) return error;
  const said = (error ?? {}) as Said;
  const status = said.$metadata?.httpStatusCode;
  const where = spec.endpoint === undefined ? spec.to : `${spec.to} at ${spec.endpoint}`;
  const reason = [said.name ?? said.code, said.message].filter(Boolean).join(': ') || `HTTP ${status}`;
  const message = `cannot ${what} ${where}: ${reason}`;
  if (isUnreachable(said, status)) return new HerError('STORE_UNREACHABLE', message, { cause: error });
  return new HerError('STORE_REFUSED', message, { cause: error });
}

function isUnreachable({ name = '', code = '' }: Said, status: number | undefined): boolean {
  if (status !== undefined && status >= 400)
    return status >= 500 || status === 429 || status === 408 || passing.has(name);
  return passing.has(name) || network.has(code) || network.has(name) || name === 'AbortError';
}

/** Codes of S3 that ask to come back. `NoSuchUpload`: somebody let an upload go; the next try begins another. */
const passing = new Set([
  'SlowDown',
  'ServiceUnavailable',
  'InternalError',
  'RequestTimeout',
  'NoSuchUpload',
  'OperationAborted',
  'ConditionalRequestConflict',
  'TimeoutError',
  'NetworkingError',
]);
const network = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'EPIPE',
]);

export function isMissing(error: unknown): boolean {
  const { name, $metadata } = (error ?? {}) as Said;
  // A missing bucket is no missing object, and both are a 404.
  return (
    name !== 'NoSuchBucket' &&
    (['NotFound', 'NoSuchKey'].includes(name ?? '') || $metadata?.httpStatusCode === 404)
  );
}

/** The object is there already. Two writers at once: one of them gets a conflict, and looks again. */
export function isPrecondition(error: unknown): boolean {
  const { name, $metadata } = (error ?? {}) as Said;
  return name === 'PreconditionFailed' || $metadata?.httpStatusCode === 412;
}

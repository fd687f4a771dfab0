import { HerError, type HerErrorCode } from '../errors.ts';

/** Whether it is worth trying again by itself: the way there, not what was asked for. */
export function mayPass(error: unknown): boolean {
  return isCode(error, 'STORE_UNREACHABLE') || isCode(error, 'AGENT_UNREACHABLE');
}

export function isCode(error: unknown, code: HerErrorCode): error is HerError {
  return error instanceof HerError && error.code === code;
}

import type { Refusal } from '@portolan/plugin-api';

/** JSON-RPC error codes: invalid parameters, invalid request, and internal error. */
const INVALID_PARAMS = -32602;
const INVALID_REQUEST = -32600;
const INTERNAL = -32603;

/** Returns the refusal of a hidden tool, equal to that of a missing one. */
export function toolNotFound(): Refusal {
  return { message: 'tool not found', code: INVALID_PARAMS };
}

/** Returns the refusal of a call without a tool name. */
export function toolUnnamed(): Refusal {
  return { message: 'The call names no tool.', status: 400, code: INVALID_PARAMS };
}

/**
 * Returns the refusal of a misspelt method. Some servers ignore case or blanks in methods, which would bypass
 * the filter.
 */
export function methodMisspelt(meant: string): Refusal {
  return {
    message: `The method differs from "${meant}" only in spelling.`,
    status: 400,
    code: INVALID_REQUEST,
  };
}

/** Returns the refusal of an unreadable list, which could contain hidden tools. */
export function listUnusable(fault: string): Refusal {
  return { message: `The list of tools was not passed on: ${fault}.`, status: 500, code: INTERNAL };
}

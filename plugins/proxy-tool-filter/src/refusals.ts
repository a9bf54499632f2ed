import type { Refusal } from '@portolan/plugin-api';

/** JSON-RPC: invalid parameters, invalid request, and internal error. */
const INVALID_PARAMS = -32602;
const INVALID_REQUEST = -32600;
const INTERNAL = -32603;

/** Refusal of a hidden tool, which equals that of a missing tool. */
export function toolNotFound(): Refusal {
  return { message: 'tool not found', code: INVALID_PARAMS };
}

export function toolUnnamed(): Refusal {
  return { message: 'The call names no tool.', status: 400, code: INVALID_PARAMS };
}

/**
 * Refusal of a method in another spelling. Some servers ignore case or blanks in methods, which would bypass
 * the filter.
 */
export function methodMisspelt(meant: string): Refusal {
  return {
    message: `The method differs from "${meant}" only in case or white space; expected exactly this name.`,
    status: 400,
    code: INVALID_REQUEST,
  };
}

/** Refusal of an unreadable list, which could contain hidden tools. */
export function listUnusable(fault: string): Refusal {
  return { message: `The list of tools was not forwarded: ${fault}.`, status: 500, code: INTERNAL };
}

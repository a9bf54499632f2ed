import type { Refusal } from '@portolan/plugin-api';

/** JSON-RPC's codes: parameters that cannot be used, a request that is none, and a fault that is not the client's. */
const INVALID_PARAMS = -32602;
const INVALID_REQUEST = -32600;
const INTERNAL = -32603;

/** Returns the refusal of a tool that clients cannot see: the same as for one that does not exist. */
export function toolNotFound(): Refusal {
  return { message: 'tool not found', code: INVALID_PARAMS };
}

/** What names no tool cannot be judged by one. */
export function toolUnnamed(): Refusal {
  return { message: 'The call names no tool.', status: 400, code: INVALID_PARAMS };
}

/** Some servers take methods for the same that differ in capitals or blanks; here they would pass by the filter. */
export function methodMisspelt(meant: string): Refusal {
  return {
    message: `The method differs from "${meant}" in spelling only.`,
    status: 400,
    code: INVALID_REQUEST,
  };
}

/** A list that is not understood could hold what nobody is to see. */
export function listUnusable(fault: string): Refusal {
  return { message: `The list of tools was not passed on: ${fault}.`, status: 500, code: INTERNAL };
}

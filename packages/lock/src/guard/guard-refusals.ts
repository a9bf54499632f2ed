import type { Refusal } from '@portolan/plugin-api';
import type { ListKind } from '../compare/difference.ts';

/** JSON-RPC codes. Resources had a code of their own before revision 2026-07-28. */
const INVALID_PARAMS = -32602;
const INVALID_REQUEST = -32600;
const INTERNAL = -32603;
const RESOURCE_NOT_FOUND = -32002;

const NOUNS = { tool: 'tool', prompt: 'prompt', template: 'resource' } as const;

/** Returns the response for an unknown name, so that a client cannot tell a held item from a missing one. */
export function itemNotFound(kind: ListKind, isLegacy: boolean): Refusal {
  return {
    message: `${NOUNS[kind]} not found`,
    code: kind === 'template' && isLegacy ? RESOURCE_NOT_FOUND : INVALID_PARAMS,
  };
}

export function itemUnnamed(method: string): Refusal {
  return {
    message: `The parameters of ${method} name no tool, prompt or resource; expected one.`,
    status: 400,
    code: INVALID_PARAMS,
  };
}

/** Refusal of a method in another spelling. Some servers ignore case or blanks, which would bypass the guard. */
export function methodMisspelt(meant: string): Refusal {
  return {
    message: `The method differs from "${meant}" only in case or white space; expected exactly this name.`,
    status: 400,
    code: INVALID_REQUEST,
  };
}

/** Refusal of a response that cannot be compared with what was approved. */
export function responseUnreadable(method: string, fault: string): Refusal {
  return {
    message: `The response to ${method} cannot be compared with what was approved: ${fault}.`,
    status: 500,
    code: INTERNAL,
  };
}

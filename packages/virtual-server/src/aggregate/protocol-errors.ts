import { memberOf, type JsonRecord, type RpcError } from '@portolan/mcp-protocol';

const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;
/** Code of an unknown resource in revisions with a handshake. */
const LEGACY_RESOURCE_NOT_FOUND = -32002;

/** Maximum length of a name or URI of a client that an error repeats. */
const MAX_SHOWN = 200;

/** Creates the error for a tool that no member has, as for a hidden one. */
export function toolUnknown(params: JsonRecord | undefined): RpcError {
  return { code: INVALID_PARAMS, message: `Unknown tool: ${shown(params, 'name')}` };
}

/** Creates the error for a prompt or completion reference that no member has. */
export function promptUnknown(params: JsonRecord | undefined): RpcError {
  return { code: INVALID_PARAMS, message: `Unknown prompt: ${shown(params, 'name')}` };
}

/** Creates the error for a URI that no member has, with the code of the client's protocol era. */
export function resourceUnknown(params: JsonRecord | undefined, era: 'legacy' | 'modern'): RpcError {
  const uri = shown(params, 'uri');
  const code = era === 'legacy' ? LEGACY_RESOURCE_NOT_FOUND : INVALID_PARAMS;
  return { code, message: `Resource not found: ${uri}`, data: { uri } };
}

/** Creates the error for the id of a task that no member has. */
export function taskUnknown(params: JsonRecord | undefined): RpcError {
  return { code: INVALID_PARAMS, message: `Unknown task: ${shown(params, 'taskId')}` };
}

/** Creates the error for a log level that the protocol does not have. */
export function levelInvalid(): RpcError {
  return { code: INVALID_PARAMS, message: 'Unknown log level' };
}

/** Creates the error for a method that virtual servers do not have. */
export function methodMissing(method: string): RpcError {
  return { code: METHOD_NOT_FOUND, message: `Method not found: ${method.slice(0, MAX_SHOWN)}` };
}

/** Creates the error for a value that was sealed elsewhere, changed, or is too old. */
export function sealInvalid(what: string): RpcError {
  return { code: INVALID_PARAMS, message: `Invalid ${what}: request it again.` };
}

function shown(params: JsonRecord | undefined, name: string): string {
  const value = memberOf(params, name);
  return typeof value === 'string' ? value.slice(0, MAX_SHOWN) : '';
}

import type { MessageId } from './message.ts';

/** What goes into the `error` of a response. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** An error response. Without an id the member is left out: clients refuse `null`. */
export function writeError(id: MessageId | undefined, error: RpcError): string {
  const member = id === undefined ? '' : `"id":${id.text},`;
  return `{"jsonrpc":"2.0",${member}"error":${JSON.stringify(error)}}`;
}

/** A response with a result. */
export function writeResult(id: MessageId, result: unknown): string {
  return writeResultText(id, JSON.stringify(result));
}

/** A response with a result that is JSON already. */
export function writeResultText(id: MessageId, result: string): string {
  return `{"jsonrpc":"2.0","id":${id.text},"result":${result}}`;
}

/** A notification; `params` is JSON. */
export function writeNotification(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`;
}

import type { MessageId } from './message.ts';

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Returns a JSON-RPC error response. Omits a missing id, because clients reject `null`. */
export function writeError(id: MessageId | undefined, error: RpcError): string {
  const member = id === undefined ? '' : `"id":${id.text},`;
  return `{"jsonrpc":"2.0",${member}"error":${JSON.stringify(error)}}`;
}

export function writeResult(id: MessageId, result: unknown): string {
  return writeResultText(id, JSON.stringify(result));
}

export function writeResultText(id: MessageId, result: string): string {
  return `{"jsonrpc":"2.0","id":${id.text},"result":${result}}`;
}

export function writeNotification(method: string, params: string): string {
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)},"params":${params}}`;
}

import {
  elementsOf,
  isJsonObject,
  memberOf,
  type MessageId,
  type RequestMessage,
  type ResponseMessage,
} from '@portolan/mcp-protocol';
import type { MessageSender } from '@portolan/plugin-api';
import type { InputRequest } from '../client-requests.ts';
import type { ParkedCall } from './parked-calls.ts';
import { textAt } from '../rewrite-members.ts';

/** JSON-RPC error code of revision 2025-11-25 for a call that needs the user to open an address first. */
const URL_ELICITATION_REQUIRED = -32042;

/** Returns the elicitations of an error -32042. Undefined for other responses. */
export function readUrlRequests({ errorCode, text }: ResponseMessage): readonly InputRequest[] | undefined {
  if (errorCode !== URL_ELICITATION_REQUIRED) return undefined;
  const list = textAt(text, ['error', 'data', 'elicitations']);
  const elicitations = list?.startsWith('[') === true ? [...elementsOf(list, 0)] : [];
  if (list === undefined || elicitations.length === 0) return undefined;
  return elicitations.map(({ start, end }) => ({
    method: 'elicitation/create',
    params: list.slice(start, end),
  }));
}

/** Writes an `input_required` result. */
export function writeInputRequired(
  id: MessageId,
  requests: ReadonlyMap<string, InputRequest>,
  state: string,
): string {
  const members = [...requests].map(([key, { method, params }]) => {
    const member = params === undefined ? '' : `,"params":${params}`;
    return `${JSON.stringify(key)}:{"method":${JSON.stringify(method)}${member}}`;
  });
  const result = `"resultType":"input_required","inputRequests":{${members.join(',')}}`;
  return `{"jsonrpc":"2.0","id":${id.text},"result":{${result},"requestState":${JSON.stringify(state)}}}`;
}

export interface UrlRoundOptions {
  readonly owner: string | undefined;
  readonly count: number;
  readonly matches: (retry: RequestMessage) => boolean;
  readonly resumed: (retry: RequestMessage, sender: MessageSender | undefined) => void;
  readonly refused: (retry: RequestMessage) => void;
}

/** Call that begins again when the user has opened the addresses that the server named. */
export class UrlRound implements ParkedCall {
  readonly owner: string | undefined;
  readonly #options: UrlRoundOptions;

  constructor(options: UrlRoundOptions) {
    this.owner = options.owner;
    this.#options = options;
  }

  matches(retry: RequestMessage): boolean {
    return this.#options.matches(retry);
  }

  resume(retry: RequestMessage, sender: MessageSender | undefined): void {
    const responses = memberOf(retry.params, 'inputResponses');
    const values = Object.values(isJsonObject(responses) ? responses : {});
    const accepted = values.filter((value) => isJsonObject(value) && memberOf(value, 'action') === 'accept');
    if (accepted.length >= this.#options.count) this.#options.resumed(retry, sender);
    else this.#options.refused(retry);
  }

  /** Does nothing, because no process waits for this call. */
  expire(): void {
    return undefined;
  }
}

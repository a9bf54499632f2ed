import { isJsonObject, type JsonRecord, memberOf, type ResponseMessage } from '@portolan/mcp-protocol';
import { ClientRequests, findMissing, type InputRequest } from '../client-requests.ts';
import { textAt } from '../rewrite-members.ts';
import type { InputRound } from '../to-modern.ts';

/** Why a call cannot continue, as a message for the client. */
export interface RoundFault {
  readonly fault: string;
}

export function isInputRequired({ result, isError }: ResponseMessage): boolean {
  return !isError && isJsonObject(result) && memberOf(result, 'resultType') === 'input_required';
}

/** Reads the input requests of an `input_required` result by their keys. */
export function readInputRequests({ result, text }: ResponseMessage): ReadonlyMap<string, InputRequest> {
  const requests = isJsonObject(result) ? memberOf(result, 'inputRequests') : undefined;
  const found = new Map<string, InputRequest>();
  for (const [key, request] of Object.entries(isJsonObject(requests) ? requests : {})) {
    const method = isJsonObject(request) ? memberOf(request, 'method') : undefined;
    const params = textAt(text, ['result', 'inputRequests', key, 'params']);
    found.set(key, { method: String(method), params });
  }
  return found;
}

/** One round of input for a call: asks the Legacy client, and returns what the server gets. */
export class RoundOfInput {
  readonly #pending: ReturnType<ClientRequests['ask']>[] = [];

  async run(
    response: ResponseMessage,
    client: ClientRequests,
    capabilities: JsonRecord | undefined,
  ): Promise<InputRound | RoundFault | undefined> {
    const requests = [...readInputRequests(response)];
    for (const [, request] of requests) {
      const missing = findMissing(request, capabilities);
      if (missing === undefined) continue;
      const needs = Object.keys(missing)[0] ?? request.method.slice(0, 80);
      return {
        fault: `The server needs the client capability "${needs}", which the client did not declare.`,
      };
    }
    const state = textAt(response.text, ['result', 'requestState']);
    const results = await Promise.all(
      requests.map(async ([key, request]) => {
        const pending = client.ask(request);
        this.#pending.push(pending);
        return { key, method: request.method, response: await pending.response };
      }),
    );
    const members: string[] = [];
    for (const { key, method, response: reply } of results) {
      if (reply === undefined) return undefined;
      const result = reply.isError ? undefined : textAt(reply.text, ['result']);
      if (result === undefined) return { fault: `The client responded with an error to "${method}".` };
      members.push(`${JSON.stringify(key)}:${result}`);
    }
    return { responses: `{${members.join(',')}}`, state };
  }

  cancel(): void {
    for (const pending of this.#pending) pending.cancel();
  }
}

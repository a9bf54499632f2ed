import { LegacyClient } from './legacy-client.ts';
import type { StreamMessage } from './message-stream.ts';
import { postModern, readModern } from './modern-request.ts';

/** Response to a call: its text, or its error. */
export type Outcome = { readonly text: string } | { readonly error: NonNullable<StreamMessage['error']> };

/** A client that calls tools, and responds to requests of members with the nonce of its own call. */
export interface LoadClient {
  call(name: string, nonce: string): Promise<Outcome>;
  /** Nonces of questions that were not those of the pending call. */
  readonly foreign: readonly unknown[];
  close(): Promise<void>;
}

const CAPABILITIES = { sampling: {} };

/** Connects a client with a handshake. Its ids are those of all other clients as well. */
export async function legacyLoadClient(url: URL): Promise<LoadClient> {
  const client = await LegacyClient.connect(url, CAPABILITIES);
  const foreign: unknown[] = [];
  return {
    foreign,
    call: async (name, nonce) => {
      const stream = await client.stream('tools/call', { name, arguments: { nonce } });
      const done = new Set<StreamMessage>();
      for (;;) {
        const next = await stream.find((message) => !done.has(message), 60_000);
        done.add(next);
        if (next.method === 'sampling/createMessage') {
          const asked = next.params?.['nonce'];
          if (asked !== nonce) foreign.push(asked);
          const result = { model: asked, role: 'assistant', content: { type: 'text', text: '' } };
          await (await client.post({ id: next.id, result })).text();
        } else if (next.method === undefined) {
          await stream.close();
          return outcomeOf(next);
        }
      }
    },
    close: () => client.close(),
  };
}

/** Creates a client without a handshake. Each of its requests has the same id. */
export function modernLoadClient(url: URL): LoadClient {
  const foreign: unknown[] = [];
  const request = async (name: string, nonce: string, retry: object): Promise<StreamMessage> =>
    await readModern(
      await postModern(
        url,
        'tools/call',
        { name, arguments: { nonce }, ...retry },
        { capabilities: CAPABILITIES },
      ),
    );
  return {
    foreign,
    call: async (name, nonce) => {
      let response = await request(name, nonce, {});
      for (let round = 0; round < 3; round += 1) {
        const { inputRequests, requestState } = (response.result ?? {}) as {
          readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly nonce: unknown } }>>;
          readonly requestState?: string;
        };
        if (inputRequests === undefined) break;
        const answers = Object.entries(inputRequests).map(([key, { params }]) => {
          if (params.nonce !== nonce) foreign.push(params.nonce);
          return [
            key,
            { model: params.nonce, role: 'assistant', content: { type: 'text', text: '' } },
          ] as const;
        });
        response = await request(name, nonce, { inputResponses: Object.fromEntries(answers), requestState });
      }
      return outcomeOf(response);
    },
    close: () => Promise.resolve(),
  };
}

function outcomeOf({ result, error }: StreamMessage): Outcome {
  if (error !== undefined) return { error };
  const { content } = result as { readonly content?: readonly { readonly text: string }[] };
  return { text: content?.[0]?.text ?? JSON.stringify(result) };
}

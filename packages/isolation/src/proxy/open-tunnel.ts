import type { Duplex } from 'node:stream';
import { type EgressTarget, parseAuthority } from '@portolan/outbound';
import { checkClientHello, UNRECOGNIZED_NAME } from './check-client-hello.ts';
import { type EgressRefusal, failureCode, refuse } from '../policy/egress-event.ts';
import type { EgressJudge, Passage } from '../policy/egress-judge.ts';
import { cut, joinStreams } from './join-streams.ts';
import { describeFailure, describeRefusal, writeResponse } from './refusal-response.ts';

export interface Outcome {
  readonly target: EgressTarget | undefined;
  readonly decision: EgressRefusal | (Passage & { readonly failure?: string });
}

/**
 * Handles one CONNECT. On port 443, the TLS server name must match the tunnel's host. Resolves when the
 * decision is final, before the tunnel ends.
 */
export async function openTunnel(
  judge: EgressJudge,
  authority: string,
  client: Duplex,
  signal: AbortSignal,
): Promise<Outcome> {
  const target = parseAuthority(authority);
  if (target === undefined) {
    const decision = refuse('host-invalid', 'the target is no host and port');
    return { target, decision: respond(client, decision) };
  }
  const passage = await judge.decide(target, true);
  if (!passage.allowed) return { target, decision: respond(client, passage) };
  let remote: Duplex | EgressRefusal;
  try {
    remote = await judge.open(passage, signal);
  } catch (error) {
    const failure = failureCode(error);
    end(client, writeResponse(describeFailure(target.host.text, failure)));
    return { target, decision: { ...passage, failure } };
  }
  if ('reason' in remote) return { target, decision: respond(client, remote) };
  return { target, decision: await pass(judge, target, passage, client, remote) };
}

async function pass(
  judge: EgressJudge,
  target: EgressTarget,
  passage: Passage,
  client: Duplex,
  remote: Duplex,
): Promise<Outcome['decision']> {
  remote.once('error', () => cut(client));
  if (client.destroyed) {
    remote.destroy();
    return { ...passage, failure: 'ECONNRESET' };
  }
  client.once('close', () => remote.destroyed || client.readableEnded || cut(remote));
  client.write('HTTP/1.1 200 Connection established\r\n\r\n');
  if (target.port === 443 && !judge.allowsPlainOn443) {
    try {
      const hello = await checkClientHello(client, target.host);
      if (!hello.allowed) {
        remote.destroy();
        end(client, hello.reason === 'server-name-differs' ? UNRECOGNIZED_NAME : '');
        return hello;
      }
      remote.write(hello.bytes);
    } catch (error) {
      remote.destroy();
      return { ...passage, failure: failureCode(error) };
    }
  }
  joinStreams(client, remote);
  return passage;
}

function respond(client: Duplex, refusal: EgressRefusal): EgressRefusal {
  end(client, writeResponse(describeRefusal(refusal)));
  return refusal;
}

/** Sends the last bytes and discards further input, because a reset could lose them. */
function end(client: Duplex, last: string | Buffer): void {
  client.resume();
  client.end(last, () => setTimeout(() => client.destroy(), LAST_WORD_MS).unref());
}

const LAST_WORD_MS = 1000;

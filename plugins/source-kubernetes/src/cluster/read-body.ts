import { answerUnusable } from '../errors.ts';

/**
 * Maximum size of a response in bytes. A page has at most a hundred objects, which etcd limits to 1.5 MiB
 * each.
 */
const MAX_BYTES = 67_108_864;

/**
 * Returns the text of a response. Throws ERR_KUBERNETES_ANSWER for a larger one, because the server may not
 * be an API server.
 */
export async function readBody(body: { stream(): AsyncIterable<Uint8Array> | null }): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body.stream() ?? []) {
    size += piece.length;
    if (size > MAX_BYTES) throw answerUnusable(`more than ${MAX_BYTES} bytes at once`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

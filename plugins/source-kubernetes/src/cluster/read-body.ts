import { answerUnusable } from '../errors.ts';

/** Most bytes of one answer: a hundred objects, of which etcd takes at most 1.5 MiB each, and which have a few KB. */
const MAX_BYTES = 67_108_864;

/** The text of an answer. Throws ERR_KUBERNETES_ANSWER where it is longer than any: what is asked may be no API server. */
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

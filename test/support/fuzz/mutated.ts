import fc from 'fast-check';
import { MESSAGES, PIECES } from './corpus.ts';

/** A change of a text: bytes are removed, repeated, moved, replaced or inserted. */
type Mutation = (bytes: Buffer, other: Buffer) => Buffer;

const share = fc.double({ min: 0, max: 1, noNaN: true });
const at = (bytes: Buffer, part: number): number => Math.floor(part * bytes.length);

const mutation = fc.oneof<fc.Arbitrary<Mutation>[]>(
  fc.tuple(share, fc.constantFrom(...PIECES)).map(
    ([place, piece]): Mutation =>
      (bytes) => {
        const from = at(bytes, place);
        return Buffer.concat([bytes.subarray(0, from), Buffer.from(piece), bytes.subarray(from)]);
      },
  ),
  fc.tuple(share, fc.integer({ min: 1, max: 12 })).map(
    ([place, count]): Mutation =>
      (bytes) => {
        const from = at(bytes, place);
        return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + count)]);
      },
  ),
  fc.tuple(share, share, share).map(
    ([from, to, into]): Mutation =>
      (bytes) => {
        const [start, end] = [at(bytes, Math.min(from, to)), at(bytes, Math.max(from, to))];
        const place = at(bytes, into);
        return Buffer.concat([bytes.subarray(0, place), bytes.subarray(start, end), bytes.subarray(place)]);
      },
  ),
  fc.tuple(share, fc.integer({ min: 0, max: 255 })).map(
    ([place, byte]): Mutation =>
      (bytes) => {
        const changed = Buffer.from(bytes);
        if (changed.length > 0) changed[Math.min(changed.length - 1, at(bytes, place))] = byte;
        return changed;
      },
  ),
  fc.tuple(share, share).map(
    ([mine, theirs]): Mutation =>
      (bytes, other) =>
        Buffer.concat([bytes.subarray(0, at(bytes, mine)), other.subarray(at(other, theirs))]),
  ),
);

/** Returns a message of the corpus after some changes. */
export const mutated: fc.Arbitrary<Buffer> = fc
  .tuple(
    fc.constantFrom(...MESSAGES),
    fc.constantFrom(...MESSAGES),
    fc.array(mutation, { minLength: 0, maxLength: 4 }),
  )
  .map(([text, other, changes]) =>
    changes.reduce<Buffer>((bytes, change) => change(bytes, Buffer.from(other)), Buffer.from(text)),
  );

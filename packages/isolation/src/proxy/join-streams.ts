import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** Maximum silence of one direction after the other has ended, in milliseconds. */
const LINGER_MS = 60_000;

/**
 * Forwards bytes both ways with back-pressure and half-closed connections. An error on either side, or a
 * minute of silence after one direction has ended, closes both.
 */
export function joinStreams(left: Duplex, right: Duplex): void {
  passOn(left, right);
  passOn(right, left);
}

function passOn(from: Duplex, to: Duplex): void {
  from.pipe(to);
  from.once('error', () => cut(to));
  from.once('end', () => {
    for (const side of [from, to]) if (side instanceof Socket) side.setTimeout(LINGER_MS, () => cut(side));
  });
  from.once('close', () => {
    if (!from.readableEnded) cut(to);
  });
}

/** Closes at once; over TCP with a reset, so that the peer does not take it for a normal end. */
export function cut(stream: Duplex): void {
  if (stream.destroyed) return;
  if (stream instanceof Socket && stream.remoteAddress !== undefined && !stream.connecting)
    stream.resetAndDestroy();
  else stream.destroy();
}

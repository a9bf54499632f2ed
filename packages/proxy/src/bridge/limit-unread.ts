import type { ServerResponse } from 'node:http';

const limited = new WeakSet<ServerResponse>();

/** Breaks an answer off when its client does not take what is written within the time. */
export function limitUnread(response: ServerResponse, unreadMs: number): void {
  if (limited.has(response) || response.writableFinished || response.destroyed) return;
  // All of it is in the system's hands already, as nearly every answer is at once.
  if (response.writableEnded && response.socket?.writableLength === 0) return;
  limited.add(response);
  const timer = setTimeout(() => response.destroy(), unreadMs);
  const settle = (): void => {
    clearTimeout(timer);
    limited.delete(response);
    response.off('drain', settle).off('finish', settle).off('close', settle);
  };
  response.on('drain', settle).on('finish', settle).on('close', settle);
}

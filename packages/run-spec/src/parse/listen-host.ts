import net from 'node:net';
import { badHost } from './parse-errors.ts';

const HOST_NAME =
  /^(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*$/;

/**
 * Parses an IP address, with or without brackets, or a host name. Returns it in lower case. Throws ERR_HOST,
 * also for a text with a port, a scheme or a path.
 */
export function parseHost(text: string, place: string): string {
  const bare = /^\[(.*)\]$/.exec(text)?.[1] ?? text;
  if (net.isIPv6(bare)) return bare.toLowerCase();
  const name = text.toLowerCase().replace(/\.$/, '');
  // A host that ends in a number is an IPv4 address or invalid (WHATWG URL, host parsing).
  const endsInNumber = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/.test(name);
  if (net.isIPv4(text) || (!endsInNumber && HOST_NAME.test(name))) return name;
  throw badHost(place, text);
}

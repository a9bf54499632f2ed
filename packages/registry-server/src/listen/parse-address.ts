import { addressInvalid } from './listen-errors.ts';

export interface Address {
  /** Undefined for all interfaces. */
  readonly host: string | undefined;
  /** 0 for any free port. */
  readonly port: number;
}

/**
 * Parses `HOST:PORT`. An empty host means all interfaces, `localhost` is 127.0.0.1, and IPv6 needs brackets.
 * Throws ERR_BAD_ARGUMENT.
 */
export function parseAddress(text: string): Address {
  const [, bracketed, bare, digits] =
    /^(?:\[([0-9A-Fa-f:.%\w]+)\]|([^:[\]\s]*)):([0-9]{1,5})$/.exec(text) ?? [];
  const port = Number(digits);
  if (digits === undefined || port > 65_535) throw addressInvalid(text);
  const host = bracketed ?? bare;
  if (host === undefined || host === '') return { host: undefined, port };
  return { host: host === 'localhost' ? '127.0.0.1' : host, port };
}

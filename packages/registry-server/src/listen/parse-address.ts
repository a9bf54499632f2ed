import { addressInvalid } from './listen-errors.ts';

export interface Address {
  /** Undefined is every interface. */
  readonly host: string | undefined;
  /** 0 is any free one. */
  readonly port: number;
}

/**
 * Reads `HOST:PORT`. An empty host is every interface, `localhost` is
 * 127.0.0.1, IPv6 stands in brackets. Throws ERR_ADDRESS_INVALID.
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

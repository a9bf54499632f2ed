import { isThisMachine, readRegistryAddress } from '../connection/read-address.ts';
import { serverAddressInvalid } from './server-errors.ts';

/**
 * Parses a server's address without a trailing slash. Requires https, or http to this machine, unless
 * `allowInsecure` is set. Throws ERR_SERVER_ADDRESS, which shows only host and path. `origin` names the
 * address's origin.
 */
export function parseServerAddress(
  text: string | undefined,
  { allowInsecure, origin = '--url' }: { readonly allowInsecure: boolean; readonly origin?: string },
): URL {
  if (text === undefined) {
    throw serverAddressInvalid(
      'no server is named',
      'add --url, or set PORTOLAN_URL to the address of the server',
    );
  }
  const example = 'write it like https://registry.acme.example';
  const { url, fault } = readRegistryAddress(text);
  if (fault === 'no-url') throw serverAddressInvalid(`the value of ${origin} is no address`, example);
  if (fault === 'protocol')
    throw serverAddressInvalid(`${origin} begins with ${url.protocol}; expected https:`, example);
  if (fault === 'login')
    throw serverAddressInvalid(
      `${origin} holds a name or password`,
      origin === '--url' || origin === 'PORTOLAN_URL' ? 'pass an access token with --token-file' : example,
    );
  if (url.search !== '' || url.hash !== '')
    throw serverAddressInvalid(`${origin} holds a query or a fragment`, example);
  if (url.protocol === 'http:' && !allowInsecure && !isThisMachine(url)) {
    throw serverAddressInvalid(
      `what is sent to ${url.origin} could be read and changed on its way, the token too`,
      'use https, or add --allow-insecure when the network between is trusted',
    );
  }
  url.pathname = url.pathname.replace(/\/+$/, '');
  return url;
}

export function checkAddress(address: URL): string | undefined {
  if (address.hostname === '') return 'it names no host';
  if (address.password !== '')
    return 'it has a password, which belongs in a secret (--session-store-password)';
  if (!/^(?:\/[0-9]{0,4})?$/.test(address.pathname)) return 'its path is not a database number';
  if (address.search !== '' || address.hash !== '') return 'it has more after its path';
  return undefined;
}

import { createHmac } from 'node:crypto';

/** Returns the HMAC-SHA256 over the time, a dot and the bytes of the body. */
export function signBody(
  body: string,
  secret: string,
  at: Date,
  { compat }: { readonly compat: boolean },
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(at.getTime() / 1000));
  const signature = `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;
  return {
    'X-Portolan-Timestamp': timestamp,
    'X-Portolan-Signature': signature,
    ...(compat ? { 'X-ToolHive-Timestamp': timestamp, 'X-ToolHive-Signature': signature } : {}),
  };
}

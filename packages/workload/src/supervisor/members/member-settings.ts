import type { MemberSource } from '@portolan/virtual-server';
import type { Member } from '@portolan/run-spec';

/** Returns the settings of names, which may change while the server of the member keeps running. */
export function nameSettingsOf({ prefix, tools, override }: Member): MemberSource['settings'] {
  return {
    ...(prefix === undefined ? {} : { prefix }),
    ...(tools === undefined ? {} : { tools }),
    ...(override === undefined ? {} : { override }),
  };
}

/**
 * Returns everything else that the user wrote about a member, as a text: two members with equal texts have the
 * same server.
 */
export function serverKeyOf({
  prefix: _prefix,
  tools: _tools,
  override: _override,
  timeout: _timeout,
  config: _config,
  ...server
}: Member): string {
  return JSON.stringify(server);
}

import { openHttpBackend } from '@portolan/proxy/http-backend';
import { MemberOutcomes, type MemberSource } from '@portolan/virtual-server';
import { ChildConnection } from '../../../packages/proxy/test/support/child-connection.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Returns a member that is a process of this machine for each connection. */
export function stdioMember(
  name: string,
  { command, args, env = {} }: Program,
  settings: MemberSource['settings'] = {},
): MemberSource {
  const open = async (): Promise<ChildConnection> => new ChildConnection(command, args, env);
  return { name, settings, isPerCaller: false, open };
}

/** Returns a member that is an HTTP server of this machine. */
export async function httpMember(
  name: string,
  url: URL,
  settings: MemberSource['settings'] = {},
): Promise<MemberSource> {
  const outcomes = new MemberOutcomes();
  const opened = await openHttpBackend(
    {
      carries: 'http',
      transport: 'streamable-http',
      target: new URL(url.origin),
      endpoint: url.pathname,
      isRemote: false,
    },
    {
      version: '0.0.0',
      name,
      settled: outcomes.settled,
    },
  );
  return {
    name,
    settings,
    isPerCaller: false,
    open: opened.backend.openConnection,
    onOutcome: outcomes.listen,
    close: () => opened.close(),
  };
}

import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { PROXY_LIMITS } from '@portolan/proxy';
import type { MemberSource, MemberStatus } from '@portolan/virtual-server';
import { VirtualServers } from '../../../packages/virtual-server/test/support/virtual-servers.ts';
import { stdioMember } from '../../integration/virtual-server/member-sources.ts';
import type { HostPrograms } from '../host-programs.ts';
import { REAL_MEMBERS, type RealMember } from './real-members.ts';

/** A call that a client makes, with the name that the virtual server exposes. */
export interface ClientCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, string>>;
  readonly seen: string;
}

/** Tools that a client must list, and calls that must succeed. */
export interface Expected {
  readonly tools: readonly string[];
  readonly calls: readonly ClientCall[];
}

export interface RealVirtualServer {
  readonly url: URL;
  readonly calls: readonly ClientCall[];
  status(): readonly MemberStatus[];
  close(): Promise<void>;
}

/** First starts download packages. */
const LIMITS = { ...PROXY_LIMITS, startTimeoutMs: 300_000, requestMs: 300_000, graceMs: 1000 };

/** Opens a virtual server of all real members as processes of this machine, with their files below `root`. */
export async function openRealVirtualServer(
  root: string,
  programs: HostPrograms,
): Promise<RealVirtualServer> {
  const folder = path.join(root, 'members');
  await mkdir(folder, { recursive: true });
  await promisify(execFile)('git', ['init', '--quiet', folder]);
  await writeFile(path.join(folder, 'note.txt'), 'from the file\n');
  const page = createServer((_request, response) => {
    response.setHeader('Content-Type', 'text/html').end('<html><body><p>from the page</p></body></html>');
  });
  page.listen(0, '127.0.0.1');
  await once(page, 'listening');
  const { port } = page.address() as AddressInfo; // SAFETY: a TCP server has a port.
  const fill = (word: string): string =>
    word.replaceAll('FOLDER', folder).replaceAll('PAGE', `http://127.0.0.1:${port}/`);
  const servers = new VirtualServers();
  const { url, server } = await servers.open(
    REAL_MEMBERS.map((member) => sourceOf(member, programs, fill)),
    { limits: LIMITS },
  );
  return {
    url,
    calls: REAL_MEMBERS.map(({ name, call }) => ({
      name: `${name}_${call.tool}`,
      arguments: Object.fromEntries(
        Object.entries(call.arguments).map(([argument, value]) => [argument, fill(value)]),
      ),
      seen: call.seen,
    })),
    status: () => server.status(),
    close: async () => {
      await servers.close();
      page.closeAllConnections();
      page.close();
    },
  };
}

function sourceOf(member: RealMember, programs: HostPrograms, fill: (word: string) => string): MemberSource {
  const args = (member.args ?? []).map(fill);
  const { command, args: words, environment } = programs.commandFor(member, args);
  return stdioMember(member.name, { command, args: words, env: environment });
}

import type { WorldPackage } from '../packages.ts';

/** A published server that is a member of the virtual server of `npm run test:world`. */
export interface RealMember extends Pick<WorldPackage, 'target' | 'program' | 'requirement'> {
  readonly name: string;
  /** Arguments of the server. `FOLDER` is replaced by its folder, which is a Git repository. */
  readonly args?: readonly string[];
  /** Call that must succeed. `FOLDER` is replaced as above, and `PAGE` by the address of a page. */
  readonly call: {
    readonly tool: string;
    readonly arguments: Readonly<Record<string, string>>;
    /** Text of the result. */
    readonly seen: string;
  };
}

/** Members in the order of the list. */
export const REAL_MEMBERS: readonly RealMember[] = [
  {
    name: 'files',
    target: 'npx://@modelcontextprotocol/server-filesystem',
    program: 'mcp-server-filesystem',
    args: ['FOLDER'],
    call: { tool: 'read_text_file', arguments: { path: 'FOLDER/note.txt' }, seen: 'from the file' },
  },
  {
    name: 'memory',
    target: 'npx://@modelcontextprotocol/server-memory',
    program: 'mcp-server-memory',
    call: { tool: 'read_graph', arguments: {}, seen: 'entities' },
  },
  {
    name: 'everything',
    target: 'npx://@modelcontextprotocol/server-everything',
    program: 'mcp-server-everything',
    call: { tool: 'echo', arguments: { message: 'ahoy' }, seen: 'ahoy' },
  },
  {
    name: 'fetch',
    target: 'uvx://mcp-server-fetch',
    args: ['--ignore-robots-txt', '--allow-private-ips'],
    call: { tool: 'fetch', arguments: { url: 'PAGE' }, seen: 'from the page' },
  },
  {
    name: 'git',
    target: 'uvx://mcp-server-git',
    args: ['--repository', 'FOLDER'],
    call: { tool: 'git_status', arguments: { repo_path: 'FOLDER' }, seen: 'note.txt' },
  },
  {
    name: 'time',
    target: 'uvx://mcp-server-time',
    args: ['--local-timezone', 'UTC'],
    call: { tool: 'get_current_time', arguments: { timezone: 'Europe/Oslo' }, seen: 'Europe/Oslo' },
  },
  {
    name: 'sqlite',
    target: 'uvx://mcp-server-sqlite',
    requirement: 'mcp<2',
    args: ['--db-path', 'FOLDER/world.db'],
    call: {
      tool: 'read_query',
      arguments: { query: "SELECT 'from the ' || 'database' AS place" },
      seen: 'from the database',
    },
  },
];

import dns, { type LookupAddress } from 'node:dns';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import path from 'node:path';
import { lookUpFalselyAtOnce } from './false-network.ts';

/** An effect of this process on the machine or the network. */
export type Effect =
  | { readonly did: 'read' | 'write'; readonly path: string }
  | { readonly did: 'connect'; readonly host: string; readonly port: number; readonly isTls: boolean }
  | { readonly did: 'listen'; readonly host: string; readonly port: number }
  | { readonly did: 'send'; readonly host: string; readonly text: string };

type Callable = (this: unknown, ...args: readonly unknown[]) => unknown;

/** Resolves a name in the fake network, with the signature of `dns.promises.lookup`. */
function lookUpAll(...[hostname, options]: readonly unknown[]): Promise<LookupAddress | LookupAddress[]> {
  const address = lookUpFalselyAtOnce(String(hostname));
  const found = { address, family: net.isIPv6(address) ? 6 : 4 };
  const isAll = typeof options === 'object' && options !== null && 'all' in options && options.all === true;
  return Promise.resolve(isAll ? [found] : found);
}

const READS = ['readFile', 'readFileSync', 'opendir', 'opendirSync', 'readdir', 'readdirSync'];
const WRITES = ['writeFile', 'appendFile', 'mkdir', 'rm', 'rmdir', 'unlink', 'truncate', 'chmod'].flatMap(
  (name) => [name, `${name}Sync`],
);
const SECOND_WRITES = ['rename', 'renameSync', 'symlink', 'symlinkSync', 'link', 'copyFile', 'copyFileSync'];
const OPENS = ['open', 'openSync', 'createReadStream', 'createWriteStream'];

/**
 * Records the effects of this process from now on: opened files in `watched` folders, and all connections and
 * listeners. A recorded connection goes to `sink` instead.
 */
export class EffectRecorder {
  readonly effects: Effect[] = [];
  readonly #watched: readonly string[];
  readonly #sinkPort: number;
  readonly #restore: (() => void)[] = [];
  /** Original host of each connection, by the port of its client. */
  readonly #meant = new Map<number, string>();
  readonly #listening = new Set<number>();

  constructor(watched: readonly string[], sinkPort: number) {
    this.#watched = watched;
    this.#sinkPort = sinkPort;
  }

  begin(): void {
    for (const api of [fs, fs.promises]) this.#patchFiles(api);
    this.#patch(dns.promises, 'lookup', () => lookUpAll);
    this.#patch(net.Socket.prototype, 'connect', (original) => this.#connecting(original));
    this.#patch(net.Server.prototype, 'listen', (original) => this.#listener(original));
    syncBuiltinESMExports();
  }

  end(): void {
    for (const restore of this.#restore.splice(0).toReversed()) restore();
    syncBuiltinESMExports();
  }

  /** Records the data that the sink received on the connection of a client port. */
  received(clientPort: number, text: string): void {
    this.effects.push({ did: 'send', host: this.#meant.get(clientPort) ?? 'unknown', text });
  }

  #patchFiles(api: object): void {
    for (const name of READS) this.#patch(api, name, (original) => this.#touching(original, [0, 'read']));
    for (const name of WRITES) this.#patch(api, name, (original) => this.#touching(original, [0, 'write']));
    for (const name of SECOND_WRITES)
      this.#patch(api, name, (original) => this.#touching(original, [0, 'read'], [1, 'write']));
    for (const name of OPENS) this.#patch(api, name, (original) => this.#opening(original, name));
  }

  #patch(api: object, name: string, wrap: (original: Callable) => Callable): void {
    const original: unknown = Reflect.get(api, name);
    if (typeof original !== 'function') return;
    // SAFETY: a function of Node.js gets the arguments of its caller.
    Reflect.set(api, name, wrap(original as Callable));
    this.#restore.push(() => Reflect.set(api, name, original));
  }

  #touching(original: Callable, ...touched: readonly (readonly [number, 'read' | 'write'])[]): Callable {
    const note = this.#note.bind(this);
    return function (...args) {
      for (const [index, did] of touched) note(args[index], did);
      return Reflect.apply(original, this, args);
    };
  }

  #opening(original: Callable, name: string): Callable {
    const note = this.#note.bind(this);
    return function (...args) {
      const [file, flags] = args;
      const isWrite =
        name === 'createWriteStream' ||
        (typeof flags === 'string' && /[wa+]/.test(flags)) ||
        (typeof flags === 'number' && (flags & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0);
      note(file, isWrite ? 'write' : 'read');
      return Reflect.apply(original, this, args);
    };
  }

  #note(file: unknown, did: 'read' | 'write'): void {
    const text = file instanceof URL ? file.pathname : file;
    if (typeof text !== 'string') return;
    const whole = path.resolve(text);
    if (this.#watched.some((folder) => whole === folder || whole.startsWith(`${folder}/`)))
      this.effects.push({ did, path: whole });
  }

  #connecting(original: Callable): Callable {
    const connect = (socket: net.Socket, options: net.TcpNetConnectOpts): net.TcpNetConnectOpts => {
      const { host = 'localhost', port } = options;
      if (port === this.#sinkPort || this.#listening.has(port)) return options;
      const isTls = 'encrypted' in socket || port === 443;
      this.effects.push({ did: 'connect', host, port, isTls });
      socket.once('connect', () => {
        if (socket.localPort !== undefined) this.#meant.set(socket.localPort, host);
      });
      const { lookup: _, ...others } = options;
      return { ...others, host: '127.0.0.1', port: this.#sinkPort };
    };
    return function (...args) {
      const [first] = args;
      // Node.js passes the arguments of its own calls as one list.
      const given: unknown = Array.isArray(first) ? first[0] : first;
      if (!(this instanceof net.Socket) || typeof given !== 'object' || given === null || !('port' in given))
        return Reflect.apply(original, this, args);
      // SAFETY: an object with a port is the options of a TCP connection.
      const redirected = connect(this, given as net.TcpNetConnectOpts);
      if (!Array.isArray(first)) return Reflect.apply(original, this, [redirected, ...args.slice(1)]);
      first[0] = redirected;
      return Reflect.apply(original, this, args);
    };
  }

  #listener(original: Callable): Callable {
    const record = (server: net.Server, first: unknown): void => {
      const isOptions = typeof first === 'object' && first !== null && 'port' in first;
      // The connection is to a socket in a folder of Portolan, or checks whether a port is free.
      if (!isOptions || server.listenerCount('connection') === 0) return;
      const host = 'host' in first && typeof first.host === 'string' ? first.host : '::';
      this.effects.push({ did: 'listen', host, port: Number(first.port) });
      server.once('listening', () => {
        const address = server.address();
        if (address !== null && typeof address === 'object') this.#listening.add(address.port);
      });
    };
    return function (...args) {
      if (this instanceof net.Server) {
        const [port, host] = args;
        record(
          this,
          typeof port === 'number' ? { port, host: typeof host === 'string' ? host : '::' } : port,
        );
      }
      return Reflect.apply(original, this, args);
    };
  }
}

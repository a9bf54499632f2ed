import { spawn } from 'node:child_process';
import { Duplex } from 'node:stream';
import { sshFailed } from '../errors.ts';
import type { EngineAddress } from './engine-address.ts';

const CONNECT_SECONDS = 30;
/**
 * Interval of ssh keep-alives in seconds. The connection ends after three without a response; by default ssh
 * waits forever.
 */
const ALIVE_SECONDS = 10;

/**
 * Opens a connection to an engine on another machine. Like Docker's client, it runs `docker system
 * dial-stdio` there by ssh. The user's ssh configuration, agent and known hosts apply, except for the
 * keep-alive. Destroying the stream ends the program.
 */
export function openSshStream(address: Extract<EngineAddress, { over: 'ssh' }>): Duplex {
  const child = spawn('ssh', sshArguments(address), { stdio: ['pipe', 'pipe', 'pipe'] });
  const stream = Duplex.from({ writable: child.stdin, readable: child.stdout });
  let message = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    message = (message + text).slice(-500);
  });
  child.on('error', (error) => stream.destroy(error));
  child.on('close', (code) => {
    if (code !== 0 && !stream.destroyed) {
      stream.destroy(sshFailed(address.host, message.trim() || `with status ${String(code)}`));
    }
  });
  stream.on('close', () => child.kill());
  return stream;
}

/** Returns the arguments of ssh, in which no part of the address can act as an option. */
export function sshArguments(address: Extract<EngineAddress, { over: 'ssh' }>): readonly string[] {
  const { user, port, host, path } = address;
  return [
    '-T',
    '-o',
    `ConnectTimeout=${CONNECT_SECONDS}`,
    '-o',
    `ServerAliveInterval=${ALIVE_SECONDS}`,
    ...(user === '' ? [] : ['-l', user]),
    ...(port === undefined ? [] : ['-p', String(port)]),
    '--',
    host,
    'docker',
    ...(path === '' ? [] : ['--host', `unix://'${path.replaceAll("'", String.raw`'\''`)}'`]),
    'system',
    'dial-stdio',
  ];
}

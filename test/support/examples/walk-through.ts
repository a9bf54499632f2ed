import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Finished, RunningPortolan, runPortolan } from '../command-line.ts';
import { BackgroundProgram } from './background-program.ts';
import type { ExampleCopy } from './example-copy.ts';
import { expectJson, expectLines, expectText } from './match-response.ts';
import { type Answer, type Output, splitWords, type Step } from './read-steps.ts';
import { Curl } from './run-curl.ts';

const LISTEN = ['--address', '127.0.0.1:0', '--internal-address', 'off'] as const;
/** Address of the server in READMEs. */
const SHOWN_SERVER = 'http://127.0.0.1:8080';
/** Programs that report progress on standard error, which a sample may include. */
const TELLING =
  /^portolan (?:run|change|stop|restart|rm|export|apply|lock|publish|plugins|config (?:un)?set-|secret (?:provider|set))/;
/**
 * Maximum time for the first syncs of an example, in milliseconds. Before that, a registry has no entries.
 */
const FIRST_SYNC_MS = 30_000;
const RUN = /^portolan (?:run|change) /;
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/;

export interface WalkOptions {
  /** Variables to add to the environment of programs, such as the user's folders. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Called with the URL of each workload that starts. */
  readonly ready?: (url: string) => Promise<void>;
}

/**
 * Runs the steps of a README in a copy of its example on free ports. It replaces the addresses of the README
 * in commands, expected output and files of the copy. The caller has to end it.
 */
export class WalkThrough {
  readonly #copy: ExampleCopy;
  readonly #cwd: string;
  readonly #options: WalkOptions;
  /** Addresses of the README, with the addresses in use. */
  readonly #addresses = new Map<string, string>();
  readonly #background: BackgroundProgram[] = [];
  readonly #curl = new Curl();
  readonly #exported = new Map<string, string>();
  readonly #servers: RunningPortolan[] = [];

  constructor(copy: ExampleCopy, options: WalkOptions = {}) {
    this.#copy = copy;
    this.#options = options;
    this.#cwd = copy.folder;
  }

  async take(step: Step): Promise<void> {
    switch (step.run) {
      case 'serve':
        return await this.#serve(step.command);
      case 'export':
        return this.#export(step.variables);
      case 'background':
        return await this.#start(step.command, step.ready);
      case 'program':
        return await this.#run(step.command, step.output);
      case 'curl':
        return await this.#ask(step.command, step.answer);
      default:
        step satisfies never;
    }
  }

  /** Stops all started programs. Throws if the server ends with an error. */
  async end(): Promise<void> {
    const finished = await Promise.all(this.#servers.map((server) => server.stop()));
    for (const program of this.#background.toReversed()) await program.stop();
    for (const { status } of finished) expect(status, 'status of the server').to.equal(0);
  }

  async #serve(command: string): Promise<void> {
    const [, ...args] = splitWords(command);
    const at = args.indexOf('--address');
    const [, requested] = at < 0 ? [] : args.splice(at, 2);
    const server = new RunningPortolan([...args, ...LISTEN], { cwd: this.#cwd });
    this.#servers.push(server);
    const { address } = await server.logged('listening');
    const used = `http://${String(address)}`;
    this.#addresses.set(requested === undefined ? SHOWN_SERVER : `http://${requested}`, used);
    // Other servers get the port that the files of the example refer to.
    if (requested !== undefined) await this.#copy.replaceEverywhere(`http://${requested}`, used);
  }

  #export(variables: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(variables)) this.#exported.set(name, this.#used(value));
  }

  async #start(command: string, ready: string): Promise<void> {
    const [program, ...args] = splitWords(command);
    if (program !== 'node') throw new Error(`only node runs in the background: ${command}`);
    const started = new BackgroundProgram(args, this.#cwd);
    this.#background.push(started);
    const [before = '', after = ''] = ready.split(ADDRESS);
    const [line] = await started.line(new RegExp(`^${escape(before)}.*${escape(after)}$`));
    const [shown] = ADDRESS.exec(ready) ?? [];
    const [used] = ADDRESS.exec(line) ?? [];
    if (shown === undefined || used === undefined) return;
    this.#addresses.set(shown, used);
    await this.#copy.replaceEverywhere(shown, used);
  }

  async #run(command: string, { form, text }: Output): Promise<void> {
    const [program = '', ...args] = splitWords(this.#used(await this.#expand(command)));
    const isRefusal = form === 'text' && text.startsWith('error: ');
    const { status, stdout, stderr } = await this.#finish(program, args);
    const message = `${command}\n${stdout}${stderr}`;
    if (isRefusal)
      expect({ hasFailed: status !== 0, stdout }, message).to.deep.equal({ hasFailed: true, stdout: '' });
    else expect(status, message).to.equal(0);
    if (RUN.test(command) && !isRefusal) await this.#meet(stdout.trim(), text);
    // `change` prints the changes before the address.
    const printedFirst = command.startsWith('portolan change ') ? [stderr, stdout] : [stdout, stderr];
    if (TELLING.test(command)) return expectLines(this.#shown(printedFirst.join('')), text);
    expect(isRefusal ? stdout : stderr, message).to.equal('');
    const printed = this.#shown(isRefusal ? stderr : stdout);
    if (form === 'json') expectJson(JSON.parse(printed), JSON.parse(text));
    else expectText(printed, text);
  }

  /** Replaces the address in the README with that of the workload from now on. */
  async #meet(url: string, text: string): Promise<void> {
    const [shown] = ADDRESS.exec(text) ?? [];
    const [used] = ADDRESS.exec(url) ?? [];
    if (shown === undefined || used === undefined) throw new Error(`no address: ${url}, shown as ${text}`);
    this.#addresses.set(shown, used);
    await this.#options.ready?.(url);
  }

  async #finish(
    program: string,
    args: readonly string[],
  ): Promise<Pick<Finished, 'status' | 'stdout' | 'stderr'>> {
    const environment = { ...this.#options.environment, ...Object.fromEntries(this.#exported) };
    if (program === 'portolan') {
      const [words, stdin] = await this.#redirect(args);
      return await runPortolan(words, { cwd: this.#cwd, env: environment, ...stdin });
    }
    if (program === 'node') {
      const [file = '', ...rest] = args;
      return await runPortolan(rest, { launcher: path.join(this.#cwd, file), cwd: this.#cwd });
    }
    return { status: 0, ...(await promisify(execFile)(program, [...args], { cwd: this.#cwd })) };
  }

  /** Returns the words without `< FILE` at their end, and the content of the file. */
  async #redirect(args: readonly string[]): Promise<[readonly string[], { readonly stdin?: string }]> {
    const [sign, file = ''] = args.slice(-2);
    if (sign !== '<') return [args, {}];
    return [args.slice(0, -2), { stdin: await readFile(path.join(this.#cwd, file), 'utf8') }];
  }

  /** Repeats a command that only reads until the output matches, since a first sync may still run. */
  async #ask(command: string, response: Answer): Promise<void> {
    const expanded = await this.#expand(command);
    const read = { used: (text: string) => this.#used(text), shown: (text: string) => this.#shown(text) };
    const ask = (): Promise<void> => this.#curl.run(splitWords(expanded), response, read);
    await (this.#curl.isRead(splitWords(expanded)) ? eventually(ask, { withinMs: FIRST_SYNC_MS }) : ask());
  }

  /** Replaces `$(cat FILE)` with the content of the file. */
  async #expand(command: string): Promise<string> {
    const parts = command.split(/\$\(cat ([^)]+)\)/);
    const read = parts.map(async (part, index) =>
      index % 2 === 0 ? part : (await readFile(path.join(this.#cwd, part), 'utf8')).trim(),
    );
    return (await Promise.all(read)).join('');
  }

  #used(text: string): string {
    const inFolder = text.replaceAll('$PWD', this.#cwd);
    return [...this.#addresses].reduce((all, [shown, used]) => all.replaceAll(shown, used), inFolder);
  }

  #shown(text: string): string {
    return [...this.#addresses].reduce((all, [shown, used]) => all.replaceAll(used, shown), text);
  }
}

/** Runs all steps in a copy and removes the copy. */
export async function takeSteps(
  copy: ExampleCopy,
  steps: readonly Step[],
  options: WalkOptions = {},
): Promise<void> {
  const walk = new WalkThrough(copy, options);
  try {
    for (const step of steps) await walk.take(step);
  } finally {
    await walk.end().finally(() => copy.remove());
  }
}

function escape(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

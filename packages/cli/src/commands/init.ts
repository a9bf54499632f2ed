import { Flags } from '@oclif/core';
import { BaseCommand } from '../command-line/base-command.ts';
import { strings } from '../command-line/flags/flag-types.ts';
import { makeDocument } from '../init/make-document.ts';
import { writeDocument } from '../init/write-document.ts';
import { askTextOnTerminal } from '../terminal/ask/ask-text.ts';

export default class Init extends BaseCommand {
  static override summary = 'Create a server.json, which describes a server for registries';
  static override description =
    'Uses the flags, the package.json or pyproject.toml of this folder, and your answers. Without a terminal, ' +
    'the command reports what is missing. The file satisfies the rules for publishing; `portolan publish ' +
    'server.json --dry-run` also validates it on a registry server.';
  static override examples = [
    '<%= config.bin %> init',
    '<%= config.bin %> init --name com.acme/notes --description "Keeps notes." --version 1.0.0 --runs npx://@acme/notes-mcp@1.0.0',
    '<%= config.bin %> init --from pyproject.toml --name com.acme/notes --output -',
  ];
  static override flags = {
    name: Flags.string({ description: 'name of the server, such as com.acme/notes', helpValue: 'NAME' }),
    title: Flags.string({ description: 'title for people', helpValue: 'TEXT' }),
    description: Flags.string({ description: 'description, at most 100 characters', helpValue: 'TEXT' }),
    version: Flags.string({ description: 'version of the server', helpValue: 'VERSION' }),
    repository: Flags.string({ description: 'URL of the repository', helpValue: 'URL' }),
    website: Flags.string({ description: 'URL of the website', helpValue: 'URL' }),
    runs: strings({
      description:
        'what to run: npx://PACKAGE@VERSION, uvx://PACKAGE@VERSION, an image, or the URL of a remote server',
    }),
    transport: Flags.option({
      description: 'transport; by default stdio for packages and streamable-http for remote servers',
      options: ['stdio', 'streamable-http', 'sse'] as const,
    })(),
    variable: strings({ description: 'environment variables that users must set' }),
    secret: strings({ description: 'secret environment variables that users must set' }),
    from: Flags.string({
      description: 'package.json or pyproject.toml; by default, that of this folder; `none` reads no file',
      helpValue: 'FILE',
    }),
    output: Flags.string({
      char: 'o',
      description: 'file to write; `-` is standard output',
      helpValue: 'FILE',
      default: 'server.json',
    }),
    yes: Flags.boolean({ char: 'y', description: 'overwrite an existing file', default: false }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Init, this.argumentsOf(Init));
    const stop = new AbortController();
    const { text, messages } = await makeDocument({
      facts: {
        name: flags.name,
        title: flags.title,
        description: flags.description,
        version: flags.version,
        repository: flags.repository,
        websiteUrl: flags.website,
        runs: flags.runs ?? [],
        transport: flags.transport,
        variables: flags.variable ?? [],
        secrets: flags.secret ?? [],
      },
      from: flags.from,
      folder: process.cwd(),
      ask: askTextOnTerminal(process, stop.signal),
      now: new Date(),
    });
    for (const line of messages) this.logToStderr(line);
    if (flags.output === '-') return this.log(text.trimEnd());
    await writeDocument(flags.output, text, {
      mayOverwrite: flags.yes,
      terminal: { input: process.stdin, output: process.stderr },
    });
    this.logToStderr(
      `${flags.output} is written; \`portolan publish ${flags.output} --dry-run\` validates it on a registry server`,
    );
  }
}

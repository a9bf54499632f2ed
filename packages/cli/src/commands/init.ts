import { Flags } from '@oclif/core';
import { BaseCommand } from '../command-line/base-command.ts';
import { strings } from '../command-line/flags/flag-types.ts';
import { makeDocument } from '../init/make-document.ts';
import { writeDocument } from '../init/write-document.ts';
import { askTextOnTerminal } from '../terminal/ask/ask-text.ts';

export default class Init extends BaseCommand {
  static override summary = 'Write a server.json, which describes a server to registries';
  static override description =
    'It is made of what the flags say, of the package.json or pyproject.toml of this folder, and of what you answer. ' +
    'Where nobody can be asked, it is said what is missing. What is written keeps the rules for publishing; ' +
    '`portolan publish server.json --dry-run` has a registry judge it as well.';
  static override examples = [
    '<%= config.bin %> init',
    '<%= config.bin %> init --name com.acme/notes --description "Keeps notes." --version 1.0.0 --runs npx://@acme/notes-mcp@1.0.0',
    '<%= config.bin %> init --from pyproject.toml --name com.acme/notes --output -',
  ];
  static override flags = {
    name: Flags.string({ description: 'name of the server, as in com.acme/notes', helpValue: 'NAME' }),
    title: Flags.string({ description: 'what people call it', helpValue: 'TEXT' }),
    description: Flags.string({ description: 'what it does, in at most 100 characters', helpValue: 'TEXT' }),
    version: Flags.string({ description: 'its version', helpValue: 'VERSION' }),
    repository: Flags.string({ description: 'where its sources are', helpValue: 'URL' }),
    website: Flags.string({ description: 'where it is described', helpValue: 'URL' }),
    runs: strings({
      description:
        'what is run: npx://PACKAGE@VERSION, uvx://PACKAGE@VERSION, an image, or the address of a remote',
    }),
    transport: Flags.option({
      description: 'how it is spoken to; left out, stdio for packages and streamable-http for remotes',
      options: ['stdio', 'streamable-http', 'sse'] as const,
    })(),
    variable: strings({ description: 'variables that whoever runs it has to set' }),
    secret: strings({ description: 'the same, of variables that are secret' }),
    from: Flags.string({
      description: 'a package.json or pyproject.toml; left out, that of this folder; `none`: no file',
      helpValue: 'FILE',
    }),
    output: Flags.string({
      char: 'o',
      description: 'file to write; `-` is standard output',
      helpValue: 'FILE',
      default: 'server.json',
    }),
    yes: Flags.boolean({ char: 'y', description: 'write over a file that is there', default: false }),
  };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Init, this.argumentsOf(Init));
    const stop = new AbortController();
    const { text, told } = await makeDocument({
      said: {
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
    for (const line of told) this.logToStderr(line);
    if (flags.output === '-') return this.log(text.trimEnd());
    await writeDocument(flags.output, text, {
      mayOverwrite: flags.yes,
      terminal: { input: process.stdin, output: process.stderr },
    });
    this.logToStderr(
      `${flags.output} is written; \`portolan publish ${flags.output} --dry-run\` has a registry judge it`,
    );
  }
}

import type { JsonObject, ResourceClaims } from '@portolan/plugin-api';
import { badArgument } from '../terminal/terminal-errors.ts';
import { ServerCommand } from './server-command.ts';
import { parseClaims } from '../publish/parse-claims.ts';
import { readDefinition } from '../admin/read-definition.ts';

export interface ClaimFlags {
  readonly claim?: readonly string[] | undefined;
  readonly 'clear-claims'?: boolean;
}

export interface DefinitionFlags {
  readonly file?: string | undefined;
  readonly 'token-file'?: string | undefined;
}

export abstract class AdminCommand extends ServerCommand {
  /**
   * Returns the claims that the flags set. An empty set removes all claims; undefined leaves them unchanged.
   * Throws ERR_BAD_ARGUMENT.
   */
  protected async claimsOf(flags: ClaimFlags): Promise<ResourceClaims | undefined> {
    const claims = await parseClaims(flags.claim);
    if (claims !== undefined && flags['clear-claims'] === true)
      throw badArgument('expected one of --claim and --clear-claims');
    return flags['clear-claims'] === true ? {} : claims;
  }

  /**
   * Returns the definition in the file of `--file`; undefined without the flag. Throws ERR_NAMED_FILE, and
   * ERR_BAD_ARGUMENT when other flags state parts of the definition too.
   */
  protected async definitionOf(
    name: string,
    flags: DefinitionFlags,
    parts: readonly unknown[],
  ): Promise<JsonObject | undefined> {
    if (flags.file === undefined) return undefined;
    if (parts.some((part) => part !== undefined))
      throw badArgument(
        '--file has the complete definition, and cannot be combined with flags for parts of it',
      );
    if (flags.file === '-' && flags['token-file'] === '-')
      throw badArgument('--file and --token-file cannot both be standard input');
    return await readDefinition(flags.file, name, process.stdin);
  }
}

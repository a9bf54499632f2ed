export interface ForeignBuild {
  readonly scheme: string;
  /**
   * Possible packages. There may be several, because ToolHive replaces `@` and `/` in the package name by
   * dashes.
   */
  readonly packages: readonly string[];
}

/** Image name that ToolHive gives to a package, such as `npx-PACKAGE:TIME`. */
const IMAGE = /^(?:(?:localhost\/)?toolhivelocal\/)?(npx|uvx|go)-([a-z0-9][a-z0-9._-]*):\d{14}$/;

/** Returns the package of an image name that ToolHive created. */
export function findForeignBuild(image: string): ForeignBuild | undefined {
  const [, scheme, name] = IMAGE.exec(image) ?? [];
  if (scheme === undefined || name === undefined) return undefined;
  const dash = name.indexOf('-');
  const isScoped = scheme === 'npx' && dash > 0;
  const scoped = isScoped ? [`@${name.slice(0, dash)}/${name.slice(dash + 1)}`] : [];
  return { scheme, packages: [...scoped, name] };
}

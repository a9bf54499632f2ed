/** A package whose image another tool has built. */
export interface ForeignBuild {
  readonly scheme: string;
  /** Packages that the image name may stand for: it has dashes in place of `@` and `/`. */
  readonly packages: readonly string[];
}

/** `npx-PACKAGE:TIME`, as ToolHive names the images that it builds of packages. */
const IMAGE = /^(?:(?:localhost\/)?toolhivelocal\/)?(npx|uvx|go)-([a-z0-9][a-z0-9._-]*):\d{14}$/;

/** Returns the package behind the name of an image that ToolHive built; undefined for other images. */
export function findForeignBuild(image: string): ForeignBuild | undefined {
  const [, scheme, name] = IMAGE.exec(image) ?? [];
  if (scheme === undefined || name === undefined) return undefined;
  const dash = name.indexOf('-');
  const isScoped = scheme === 'npx' && dash > 0;
  const scoped = isScoped ? [`@${name.slice(0, dash)}/${name.slice(dash + 1)}`] : [];
  return { scheme, packages: [...scoped, name] };
}

import { stat } from 'node:fs/promises';

/** The Node that runs this process, as files that can be put into an image. */
export interface OwnNode {
  readonly platform: NodeJS.Platform;
  /** As images name it: `amd64`, `arm64`. */
  readonly architecture: string;
  /** Changes when the binary does: version, size and time of change. */
  readonly identity: string;
  readonly binary: string;
  /** Shared libraries, the loader among them, at the paths where the binary looks for them. */
  readonly libraries: () => readonly string[];
}

/** Describes the Node of this process. Rejects when its binary cannot be looked at. */
export async function describeOwnNode(): Promise<OwnNode> {
  const binary = process.execPath;
  const { size, mtimeMs } = await stat(binary);
  return {
    platform: process.platform,
    architecture: IMAGE_ARCHITECTURES[process.arch] ?? process.arch,
    identity: `${process.version} ${size} ${Math.trunc(mtimeMs)}`,
    binary,
    libraries: listLibraries,
  };
}

const IMAGE_ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** What the loader has mapped into this process; the kernel's own page has no file. */
function listLibraries(): readonly string[] {
  // In Node since 22.0; its types lack it.
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  const { excludeNetwork: before } = report;
  report.excludeNetwork = true; // it would look up the names of all peers
  try {
    // Its type is `object`: the format is described in Node's documentation of diagnostic reports.
    const { sharedObjects = [] } = report.getReport() as { readonly sharedObjects?: readonly string[] };
    return sharedObjects.filter((file) => file.startsWith('/') && file !== process.execPath);
  } finally {
    report.excludeNetwork = before ?? false;
  }
}

import { stat } from 'node:fs/promises';

export interface OwnNode {
  readonly platform: NodeJS.Platform;
  /** Architecture as in images: `amd64`, `arm64`. */
  readonly architecture: string;
  /** Version, size and modification time of the binary. */
  readonly identity: string;
  readonly binary: string;
  /** Shared libraries and the loader, at the paths where the binary expects them. */
  readonly libraries: () => readonly string[];
}

/** Rejects when the binary cannot be inspected. */
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

/** Lists the shared libraries of this process. Omits the kernel's vDSO, which has no file. */
function listLibraries(): readonly string[] {
  // In Node since 22.0, but missing in its types.
  const report: NodeJS.ProcessReport & { excludeNetwork?: boolean } = process.report;
  const { excludeNetwork: before } = report;
  report.excludeNetwork = true; // including the network would resolve the names of all peers
  try {
    // Typed as `object`; Node's documentation of diagnostic reports describes the format.
    const { sharedObjects = [] } = report.getReport() as { readonly sharedObjects?: readonly string[] };
    return sharedObjects.filter((file) => file.startsWith('/') && file !== process.execPath);
  } finally {
    report.excludeNetwork = before ?? false;
  }
}

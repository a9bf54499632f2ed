import { installLaunchdService, uninstallLaunchdService } from './launchd-service.ts';
import { serviceUnsupported } from './service-errors.ts';
import type { ServiceReport, ServiceContext } from './service-context.ts';
import { installSystemdService, uninstallSystemdService } from './systemd-service.ts';

/** Configures the system's service manager to start workloads with the machine. Throws ERR_SERVICE_*. */
export async function installService(around: ServiceContext): Promise<ServiceReport> {
  if (around.platform === 'linux') return await installSystemdService(around);
  if (around.platform === 'darwin') return await installLaunchdService(around);
  throw serviceUnsupported(around.platform);
}

/** Removes the service completely. Throws ERR_SERVICE_UNSUPPORTED. */
export async function uninstallService(around: ServiceContext): Promise<ServiceReport> {
  if (around.platform === 'linux') return await uninstallSystemdService(around);
  if (around.platform === 'darwin') return await uninstallLaunchdService(around);
  throw serviceUnsupported(around.platform);
}

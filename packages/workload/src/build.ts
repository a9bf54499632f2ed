export { buildPackage, describePackageBuild } from './build/build-package.ts';
export { listBuiltImages } from './build/images/list-built-images.ts';
export { provideBuiltImage } from './build/provide-built-image.ts';

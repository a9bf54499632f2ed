// Replaces a package that no bundle needs: see `unused` in bundled-packages.ts.
module.exports = {};

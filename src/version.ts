// Replaced by the bundler with the version of package.json; tests and type-stripped runs have no bundler.
declare const STAGEGUARD_VERSION: string | undefined;

/** The released version, or `0.0.0-dev` when the code does not run from the bundle. */
export const version: string = typeof STAGEGUARD_VERSION === 'string' ? STAGEGUARD_VERSION : '0.0.0-dev';

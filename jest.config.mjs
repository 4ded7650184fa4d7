export default {
  testEnvironment: 'node',
  testTimeout: 30_000,
  maxWorkers: 2,
  workerIdleMemoryLimit: '1GB', // modules of finished files stay in the memory of a worker
  reporters: ['default', '<rootDir>/test/support/closing-line-reporter.mjs'],
  globalSetup: '<rootDir>/test/global-setup.mjs',
  globalTeardown: '<rootDir>/test/global-teardown.mjs',
  coverageProvider: 'v8',
  roots: ['<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts'],
  moduleNameMapper: {
    '^(\\.{1,2}/.*)\\.js$': '$1',
    '^nest-redis-queue$': '<rootDir>/lib/index.ts',
  },
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  collectCoverageFrom: ['lib/**/*.ts'],
};

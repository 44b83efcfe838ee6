import product from '../../package.json' with { type: 'json' };

/** The product's version. */
export const PRODUCT_VERSION: string = product.version;

/** The product's name on npm. */
export const PACKAGE_NAME: string = product.name;

import product from '../../package.json' with { type: 'json' };

/** The product's version. */
export const PRODUCT_VERSION: string = product.version;

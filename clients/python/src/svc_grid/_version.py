# That of package.json: npm run generate.
__version__ = "1.1.0"
